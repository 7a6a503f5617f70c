import { expect, test } from 'vitest';
import type { AMISelectorTerm } from '../../apis/ec2-node-class.ts';
import { bindsKnownDirectories } from './bottlerocket-version.ts';

const image = (id: string, version: string) => ({
  id,
  name: `bottlerocket-aws-k8s-1.33-x86_64-v${version}-431fe75a`,
  requirements: [],
});

test.each<[boolean, AMISelectorTerm, ...string[]]>([
  [true, { alias: 'bottlerocket@latest' }],
  [true, { alias: 'bottlerocket@v1.46.0' }],
  [true, { alias: 'bottlerocket@2.0.0' }],
  [false, { alias: 'bottlerocket@v1.45.9' }, '1.46.0'],
  [true, { name: 'bottlerocket-aws-k8s-1.33-x86_64-v1.46.0-*' }, '1.45.0'],
  [false, { id: 'ami-0' }, '1.45.0', '1.46.0'],
  [true, { id: 'ami-1' }, '1.45.0', '1.46.0'],
  [true, { tags: { a: 'b' } }, '1.46.0', '1.45.0'],
  [false, { tags: { a: 'b' } }],
  [false, { name: 'own-v2.0-image' }],
])('10: whether Bottlerocket binds directories by itself: %s for %j and %s', (known, term, ...versions) => {
  const images = versions.map((version, at) => image(`ami-${at}`, version));
  expect(bindsKnownDirectories([term], images)).toBe(known);
});
