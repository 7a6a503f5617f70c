/** Upstream's sentence without the list of requirements and resources behind it, which fills a screen. JSON has all of it. */
export function shortMessage(message: string): string {
  return message.replace(/, requirements=.*$/s, '');
}
