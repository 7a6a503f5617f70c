import { createHash } from 'node:crypto';
import type { CreateLaunchTemplateRequest } from '@aws-sdk/client-ec2';
import { AWS_GROUP } from '../../apis/ec2-node-class.ts';

/** The same for the same content, whatever the order of its lists; a number of 64 bits, as upstream's names have. */
export function templateName(content: Omit<CreateLaunchTemplateRequest, 'LaunchTemplateName'>): string {
  const digest = createHash('sha256').update(canonical(content)).digest();
  return `${AWS_GROUP}/${digest.readBigUInt64BE()}`;
}

/** JSON with keys and list items in order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
}
