import { refusal } from '../api-refusals.ts';
import type { JsonObject } from '../kind.ts';
import type { WriteRequest } from './request.ts';

/** Bytes that etcd takes by default; so that what works here works there. */
const mostBytes = 1.5 * 1024 * 1024;

/** Throws ApiError 500, as upstream does, for an object that etcd would refuse. Only large requests are measured. */
export function checkSize({ size }: WriteRequest, object: JsonObject): void {
  if (size === undefined || size < mostBytes) return;
  if (JSON.stringify(object).length > mostBytes) throw refusal(500, '', 'etcdserver: request is too large');
}
