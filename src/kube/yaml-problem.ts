/** More of a message than this is the text of a file that is no YAML at all. */
const LONGEST = 200;

/** The first line of a YAML parser's message, which goes on with an excerpt that may hold secrets. */
export function yamlProblem(message: string): string {
  const [first = ''] = message.split('\n');
  if (first.startsWith('Source contains multiple documents')) return 'it holds several documents';
  const words = first.replace(/:$/, '');
  return words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words;
}
