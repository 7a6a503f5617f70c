import { expect, it } from 'vitest';
import type { JsonObject } from '../kind.ts';
import { keepTimestamps } from './keep-timestamps.ts';
import { managerName } from './manager-name.ts';
import { parentManagedFields, scaleManagedFields } from './scale-managers.ts';

const PATH = ['f:spec', 'f:replicas'];
const entry = (manager: string, operation: string, apiVersion: string, fieldsV1: JsonObject): JsonObject => ({
  manager,
  operation,
  apiVersion,
  fieldsType: 'FieldsV1',
  fieldsV1,
});
const replicas = { 'f:spec': { 'f:replicas': {} } };
const parent = [
  entry('alice', 'Apply', 'apps/v1', { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } }),
  entry('bob', 'Update', 'apps/v1', { 'f:metadata': { 'f:labels': { 'f:x': {} } } }),
];

it('shows the owners of the number of replicas on a Scale', () => {
  expect(scaleManagedFields(parent, PATH)).toEqual([entry('alice', 'Apply', 'autoscaling/v1', replicas)]);
});

it('moves the number of replicas to the one who scaled', () => {
  const scaled = [
    { ...entry('hpa', 'Update', 'autoscaling/v1', replicas), subresource: 'scale', time: '2024-01-01T00:00:00Z' },
  ];
  expect(parentManagedFields(parent, scaled, 'apps/v1', PATH)).toEqual([
    entry('alice', 'Apply', 'apps/v1', { 'f:spec': { 'f:paused': {} } }),
    entry('bob', 'Update', 'apps/v1', { 'f:metadata': { 'f:labels': { 'f:x': {} } } }),
    { ...entry('hpa', 'Update', 'apps/v1', replicas), subresource: 'scale' },
  ]);
});

it('leaves the owners alone where scaling changed none', () => {
  expect(parentManagedFields(parent, scaleManagedFields(parent, PATH), 'apps/v1', PATH)).toEqual(parent);
});

it.each([
  [undefined, 'kubectl/v1.36.3 (linux/amd64) kubernetes/abc', 'kubectl'],
  ['', 'conformance/1.0', 'conformance'],
  ['given', 'kubectl/v1', 'given'],
  [undefined, 'a\u0007b\u200bc', 'abc'],
  [undefined, 'ü'.repeat(80), 'ü'.repeat(64)],
  [undefined, undefined, ''],
])('calls the manager of fieldManager %j and User-Agent %j %j', (fieldManager, userAgent, expected) => {
  expect(managerName(fieldManager, userAgent)).toBe(expected);
});

it('takes a write that only moves the times of managers for none', () => {
  const at = (time: string, value: string): JsonObject => ({
    metadata: { managedFields: [{ ...entry('a', 'Apply', 'v1', {}), time }] },
    data: { value },
  });
  const old = at('2024-01-01T00:00:00Z', 'x');
  expect(keepTimestamps(old, at('2025-01-01T00:00:00Z', 'x'))).toBe(old);
  const changed = at('2025-01-01T00:00:00Z', 'y');
  expect(keepTimestamps(old, changed)).toBe(changed);
});
