import type { Pod } from '../kube/objects.ts';
import { addBit, type Bits, emptyBits, hasBit, isEmpty } from './bit-set.ts';
import { type ClaimFit, ClaimFits, type ClaimFitsDeps } from './claim-fits.ts';
import type { NodePoolTemplate } from './node-pool-template.ts';
import { NumberList } from './number-list.ts';
import { type OpenClaim, openClaim } from './open-claim.ts';
import type { PodShape } from './pod-shape.ts';
import type { PoolLimits } from './pool-limits.ts';
import { TrialOrder } from './trial-order.ts';
import { joinVolumes } from './volumes.ts';

export interface OpenClaimsDeps extends ClaimFitsDeps {
  readonly templates: readonly NodePoolTemplate[];
  readonly limits: PoolLimits;
  readonly relaxMinValues: boolean;
}

/** In-flight and new claims of one run (karpenter-core.md 4.6; upstream's nodeclaim.go and scheduler.go). */
export class OpenClaims {
  readonly #deps: OpenClaimsDeps;
  readonly #fits: ClaimFits;
  readonly #claims: OpenClaim[] = [];
  readonly #order = new TrialOrder();
  /** By index of the claim: the number of its requirement set. */
  readonly #setIds = new NumberList();
  /** By number of a requirement set: the last turn in which a claim with it was refused `like this`. */
  readonly #refusedIn = new NumberList();
  /** Counts the pods that have looked for an open claim. */
  #turn = 0;
  /** The claims, by index, that a shape can never go to. */
  readonly #dead = new Map<PodShape, Bits>();

  constructor(deps: OpenClaimsDeps) {
    this.#deps = deps;
    this.#fits = new ClaimFits(deps);
  }

  /** In the order in which upstream leaves them. */
  get claims(): readonly OpenClaim[] {
    return Array.from(this.#order.current, (index) => this.#claims[index] as OpenClaim);
  }

  placeOnOpen(pod: Pod, shape: PodShape): boolean {
    const order = this.#order.indexes();
    const dead = this.#deadOf(shape);
    this.#turn++;
    for (let i = 0; i < order.length; i++) {
      const index = order[i] as number;
      if (hasBit(dead, index) || this.#refusedIn.at(this.#setIds.at(index)) === this.#turn) continue;
      const claim = this.#claims[index] as OpenClaim;
      const fit = this.#fits.of(claim, shape, false);
      if (typeof fit !== 'string') {
        this.#add(claim, pod, shape, fit);
        this.#order.gotPod(i);
        return true;
      }
      if (fit === 'for good') addBit(dead, index);
      else if (fit === 'like this') this.#refusedIn.put(claim.set.id, this.#turn);
    }
    return false;
  }

  /** Opens a claim in the first pool that can hold the pod; `reserved` when it has to wait for a reservation. */
  placeOnNew(pod: Pod, shape: PodShape): 'placed' | 'refused' | 'reserved' {
    for (const template of this.#deps.templates) {
      const variants = this.#deps.limits.within(template);
      if (!variants || isEmpty(variants)) continue;
      const claim = openClaim(template, variants, this.#claims.length);
      const fit = this.#fits.of(claim, shape, this.#deps.relaxMinValues);
      if (fit === 'reserved') return 'reserved';
      if (typeof fit === 'string') continue;
      claim.minValuesRelaxed = fit.minValuesRelaxed;
      this.#claims.push(claim);
      this.#add(claim, pod, shape, fit);
      this.#order.append();
      this.#deps.limits.charge(template, claim.variants);
      return 'placed';
    }
    return 'refused';
  }

  /** A claim that nothing has been added to, as the next one of the pool would be. */
  preview(template: NodePoolTemplate): OpenClaim {
    return openClaim(template, template.catalogue.all.slice(), this.#claims.length);
  }

  #deadOf(shape: PodShape): Bits {
    const known = this.#dead.get(shape);
    if (known && known.length * 32 > this.#claims.length) return known;
    const dead = emptyBits(Math.max(256, this.#claims.length * 2));
    if (known) dead.set(known);
    this.#dead.set(shape, dead);
    return dead;
  }

  #add(claim: OpenClaim, pod: Pod, shape: PodShape, fit: ClaimFit): void {
    claim.pods.push(pod);
    claim.set = fit.set;
    this.#setIds.put(claim.index, fit.set.id);
    claim.variants = fit.variants;
    for (let i = 0; i < shape.requestNames.length; i++) {
      const name = shape.requestNames[i] ?? '';
      claim.total.set(name, (claim.total.get(name) ?? 0) + (shape.requestAmounts[i] ?? 0));
    }
    for (let i = 0; i < shape.requestNames.length; i++) {
      const name = shape.requestNames[i] ?? '';
      const most = claim.template.catalogue.mostOf(name, claim.variants);
      claim.headroom[shape.requestIds[i] ?? 0] = most - (claim.total.get(name) ?? 0);
    }
    if (shape.ports.length > 0) claim.ports = [...claim.ports, ...shape.ports];
    if (shape.volumes.size > 0) claim.volumes = joinVolumes(claim.volumes, shape.volumes);
    this.#deps.topology.record(shape, claim.set, claim);
    if (fit.reserved.length > 0 || claim.reserved.length > 0)
      this.#deps.reservations.hold(claim.hostname, fit.reserved);
    claim.reserved = fit.reserved;
    claim.survivors.clear();
  }
}
