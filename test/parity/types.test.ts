import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/apiserver/kind.ts';
import { ProtobufDecoder } from '../../src/apiserver/protobuf/index.ts';
import { BuiltinTypes, decode, type StructType } from '../../src/apiserver/types/index.ts';

/** Random objects of every built-in kind, as Go reads them from storage and writes them. */
interface Sample {
  readonly apiVersion: string;
  readonly kind: string;
  readonly json: JsonObject;
  readonly protobuf: string;
}

const generator = fileURLToPath(new URL('../../hack/generate-types', import.meta.url));
const hasGo = spawnSync('go', ['version']).status === 0;

function readSamples(count: number, seed: number): readonly Sample[] {
  const run = spawnSync('go', ['run', '.', '-samples', `${count}`, '-seed', `${seed}`], {
    cwd: generator,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (run.status !== 0) throw new Error(run.stderr);
  const lines = run.stdout.trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Sample);
}

describe.skipIf(!hasGo)('built-in types', () => {
  // Samples are written by Go's encoder alone, without conversion.
  const types = new BuiltinTypes(undefined, {});
  const protobuf = new ProtobufDecoder({ types });
  const structOf = ({ apiVersion, kind }: Sample): StructType => {
    const struct = types.kind(apiVersion, kind);
    if (struct === undefined) throw new RangeError(`no ${kind} in ${apiVersion}`);
    return struct;
  };

  it('read and write as Go does, from JSON and from protobuf', { timeout: 300_000 }, () => {
    for (const sample of readSamples(10, 1)) {
      const struct = structOf(sample);
      const written = JSON.stringify(sample.json);
      expect(JSON.stringify(decode(sample.json, struct).object)).toBe(written);
      const { apiVersion, kind } = sample;
      const read = protobuf.decode(Buffer.from(sample.protobuf, 'base64'), { apiVersion, kind });
      expect(JSON.stringify(decode(read, struct).object)).toBe(written);
    }
  });
});
