import { Chalk } from 'chalk';
import type { Terminal } from './terminal.ts';

/** The few colours in use. None carries a meaning that a word beside it doesn't. */
export interface Style {
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
  dim(text: string): string;
  bold(text: string): string;
  readonly tick: string;
  readonly cross: string;
  readonly bullet: string;
  readonly arrow: string;
}

export function styleFor(terminal: Terminal): Style {
  const chalk = new Chalk({ level: terminal.color ? 1 : 0 });
  const symbol = (unicode: string, ascii: string): string => (terminal.unicode ? unicode : ascii);
  return {
    good: (text) => chalk.cyan(text),
    warn: (text) => chalk.yellow(text),
    bad: (text) => chalk.red(text),
    dim: (text) => chalk.dim(text),
    bold: (text) => chalk.bold(text),
    tick: symbol('✓', 'ok'),
    cross: symbol('✗', 'x'),
    bullet: symbol('•', '-'),
    arrow: symbol('→', '->'),
  };
}
