import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EC2_US_EAST_1 } from '../../kwok-provider/instance-types/ec2-catalogue.ts';
import { plainEc2InstanceTypes } from '../../kwok-provider/instance-types/ec2-instance-types.ts';
import type { InstanceTypeOptions } from '../../kwok-provider/instance-types/index.ts';

/** A generated cluster in a file. */
export interface BenchWorld {
  /** `diverse`, or `diverse-ec2` on EC2's types instead of the 144 made-up ones. */
  readonly kind: string;
  /** Pods that wait (`pools` has half as many full nodes beside them), or nodes that run. */
  readonly size: number;
  readonly file: string;
  /** Instance types as both sides read them; the made-up ones when absent. */
  readonly instanceTypes: string | undefined;
}

const EC2 = '-ec2';
const EC2_ZONES = 'abcd';
const EC2_TYPES = 800;
const NODE_KINDS: ReadonlySet<string> = new Set(['fragmented', 'packed']);

/** Makes clusters with the generator of test/oracle, in a folder that goes when it is disposed of. */
export class BenchWorlds implements Disposable {
  readonly #oracle: string;
  readonly #seed: string;
  readonly folder = mkdtempSync(join(tmpdir(), 'bench-'));
  #types: string | undefined;

  constructor(oracle: string, seed: string) {
    this.#oracle = oracle;
    this.#seed = seed;
  }

  /** @param text `kind:size` */
  make(text: string): BenchWorld {
    const [kind = '', size = '1000'] = text.split(':');
    const usesEc2 = kind.endsWith(EC2);
    const plain = usesEc2 ? kind.slice(0, -EC2.length) : kind;
    const nodes = NODE_KINDS.has(plain) ? size : `${Number(size) / 2}`;
    const args = ['gen', '-kind', plain, '-pods', size, '-nodes', nodes, '-seed', this.#seed];
    const objects = execFileSync(this.#oracle, args, { maxBuffer: 2 ** 30, encoding: 'utf8' });
    const file = join(this.folder, `${kind}-${size}.json`);
    writeFileSync(file, usesEc2 ? objects.replaceAll('"test-zone-', `"${EC2_US_EAST_1.region}`) : objects);
    return { kind, size: Number(size), file, instanceTypes: usesEc2 ? this.#ec2Types() : undefined };
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }

  #ec2Types(): string {
    if (!this.#types) {
      this.#types = join(this.folder, 'ec2-types.json');
      writeFileSync(this.#types, JSON.stringify(ec2Types()));
    }
    return this.#types;
  }
}

/** Of the on-demand price, as upstream's made-up types have it. */
const SPOT_SHARE = 0.7;

/** Types that all of four zones sell, no bare metal, evenly spread over the families. */
function ec2Types(): InstanceTypeOptions[] {
  const sold = EC2_US_EAST_1.types.filter(
    ({ name, zones }) => !name.includes('metal') && [...EC2_ZONES].every((zone) => zones.includes(zone)),
  );
  const chosen = Array.from({ length: EC2_TYPES }, (_, i) => sold[Math.floor((i * sold.length) / EC2_TYPES)]);
  const types = chosen.flatMap((type) => (type ? [{ ...type, zones: EC2_ZONES }] : []));
  return plainEc2InstanceTypes({ ...EC2_US_EAST_1, types }, () => SPOT_SHARE);
}
