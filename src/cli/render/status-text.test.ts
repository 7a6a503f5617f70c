import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { statusReport } from '../../explain/status-report.ts';
import { worldFromObjects } from '../../state/world-from-objects.ts';
import { statusText } from './status-text.ts';
import { viewOf } from './view.ts';

const node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'a' },
  status: { allocatable: { cpu: '48', memory: '144Gi' } },
};

function lines(width: number): readonly string[] {
  const world = worldFromObjects([node], { instanceTypes: [], now: 0 });
  const report = statusReport({ world, instanceTypes: [], pending: [], budgets: () => new Map(), selects: () => true });
  const terminal = { color: true, live: true, unicode: true, width };
  return statusText(report, viewOf(terminal, { wide: false, noHeaders: false, now: 0, bin: 'karpenter' }))
    .split('\n')
    .map(stripVTControlCharacters);
}

describe('the total of a status', () => {
  it('is one line with bars where there is room', () => {
    expect(lines(120).find((line) => line.startsWith('Total'))).toMatch(/cpu ░+ 0\/48 0% .*memory ░+ 0\/144Gi 0%$/);
  });

  it.each([40, 60, 80])('fits a terminal of %i characters', (width) => {
    const shown = lines(width);
    expect(shown.join('\n')).toContain('0/144Gi');
    expect(Math.max(...shown.map((line) => line.length))).toBeLessThanOrEqual(width);
  });
});
