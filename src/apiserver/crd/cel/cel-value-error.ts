/** A CEL function can't make anything of its argument; the message is cel-go's or the Kubernetes library's. */
export class CelValueError extends Error {
  override readonly name = 'CelValueError';
}
