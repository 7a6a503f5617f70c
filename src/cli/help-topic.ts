import { ERROR_CODES } from './messages/error-codes.ts';

const EXIT_CODES = `Exit codes:
  0     done
  1     failed: the API, the cloud, or a fault
  2     wrong usage
  3     it worked, and the answer is no (--exit-code, or something that doctor finds failing)
  4     ran out of time
  130   interrupted (Ctrl-C), after cleaning up
  143   terminated, after cleaning up
`;

/** A page of `help TOPIC` that is no command: an error code, or `exit-codes`. Undefined when there is none. */
export function helpTopic(topic: string): string | undefined {
  if (topic === 'exit-codes') return EXIT_CODES;
  if (topic === 'codes') {
    const lines = Object.entries(ERROR_CODES).map(([code, [title]]) => `  ${code}   ${title}`);
    return `Error codes (help CODE tells more):\n${lines.join('\n')}\n`;
  }
  const code = topic.toUpperCase();
  const page = Object.entries(ERROR_CODES).find(([name]) => name === code)?.[1];
  return page && `${code}: ${page[0]}\n\n${page[1]}\n`;
}
