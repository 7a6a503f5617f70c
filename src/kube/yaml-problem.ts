/** The first line of a YAML parser's message, which goes on with an excerpt that may hold secrets. */
export function yamlProblem(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/:$/, '');
}
