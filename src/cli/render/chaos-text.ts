import { formatAge } from '../age.ts';
import type { ChaosReport, Interrupted, SoldOutRow } from '../chaos-report.ts';
import type { Column } from '../table.ts';
import { tableIn, type View } from './view.ts';

/** What was announced, or else what is sold out. */
export function chaosText({ action, interrupted, soldOut }: ChaosReport, view: View): string {
  if (action === 'interrupt') return tableIn(view, interruptedColumns(view), interrupted);
  if (soldOut.length === 0) return 'Nothing is sold out.\n';
  return tableIn(view, soldOutColumns(view), soldOut);
}

const interruptedColumns = ({ now }: View): readonly Column<Interrupted>[] => [
  { title: 'NODE', value: ({ node }) => node ?? '' },
  { title: 'NODECLAIM', value: ({ nodeClaim }) => nodeClaim },
  { title: 'OFFERING', value: ({ offering }) => offering },
  { title: 'ENDS IN', value: ({ endsAt }) => formatAge(Date.parse(endsAt) - now) },
];

const soldOutColumns = ({ now }: View): readonly Column<SoldOutRow>[] => [
  { title: 'NODECLASS', value: ({ nodeClass }) => nodeClass },
  { title: 'SOLD OUT', value: ({ offering }) => offering },
  { title: 'FOR', value: ({ until }) => (until === null ? 'good' : formatAge(Date.parse(until) - now)) },
];
