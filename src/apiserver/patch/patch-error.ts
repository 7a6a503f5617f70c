/**
 * A patch that can't be applied. `status` is the HTTP status kube-apiserver answers with: 400 for a malformed patch, 422 for
 * one that doesn't fit the object, 413 for one that is too large, 500 where upstream doesn't interpret its own error.
 */
export class PatchError extends Error {
  override readonly name = 'PatchError';
  readonly status: 400 | 413 | 422 | 500;

  constructor(status: 400 | 413 | 422 | 500, message: string) {
    super(message);
    this.status = status;
  }
}
