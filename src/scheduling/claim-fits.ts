import type { AttachLimits } from './attach-limits.ts';
import { type Bits, intersectInto } from './bit-set.ts';
import { portConflict } from './host-ports.ts';
import { isReserved } from './instance-offerings.ts';
import type { Offering } from './instance-type.ts';
import { losesSpot } from './keep-spot.ts';
import { satisfiesMinValues } from './min-values.ts';
import type { NodePoolTemplate } from './node-pool-template.ts';
import type { OpenClaim } from './open-claim.ts';
import type { PodShape } from './pod-shape.ts';
import type { RequirementSet, RequirementSets } from './requirement-sets.ts';
import { Requirements } from './requirements.ts';
import type { Reservations } from './reservations.ts';
import { toleratesAll } from './taints.ts';
import type { Topology } from './topology.ts';
import { joinVolumes } from './volumes.ts';

/** What a claim becomes if the pod goes to it. */
export interface ClaimFit {
  readonly set: RequirementSet;
  readonly variants: Bits;
  readonly reserved: readonly Offering[];
  readonly minValuesRelaxed: boolean;
}

/** `like this`: for now, and so is every claim with the same requirements. */
type Refusal = 'for now' | 'like this' | 'for good' | 'reserved';

export interface ClaimFitsDeps {
  readonly sets: RequirementSets;
  readonly topology: Topology;
  readonly attachLimits: AttachLimits;
  /** A claim that can be spot takes no pod that would leave it on-demand types only. */
  readonly keepSpot: boolean;
  readonly reservations: Reservations;
  readonly reservedCapacity: boolean;
  readonly strictReservations: boolean;
  readonly keepKnownFaults: boolean;
}

/** Whether a claim, open or about to be, can take a pod, and what it becomes then (karpenter-core.md 4.6). */
export class ClaimFits {
  readonly #deps: ClaimFitsDeps;
  readonly #tolerated = new Map<NodePoolTemplate, Map<PodShape, boolean>>();

  constructor(deps: ClaimFitsDeps) {
    this.#deps = deps;
  }

  /** @param relaxMinValues lower what the pool asks for rather than refuse */
  of(claim: OpenClaim, shape: PodShape, relaxMinValues: boolean): ClaimFit | Refusal {
    const { sets, topology } = this.#deps;
    if (!this.#hasRoom(claim, shape) || !this.#tolerates(claim.template, shape)) return 'for good';
    if (shape.hostname && !shape.hostname.has(claim.hostname)) return 'for good';
    const joined = sets.join(claim.set, shape.set, true);
    // A label that the claim lacks may come with a later pod; one that is otherwise stays so.
    if (!joined) return claim.set.requirements.intersects(shape.set.requirements) ? 'like this' : 'for good';
    if (topology.refusesHostname(shape, claim.hostname)) return topology.permanent ? 'for good' : 'for now';
    const variants = this.#survivors(claim, shape, joined);
    if (!variants) return 'for good';
    if (!shape.volumeAlternatives) {
      const set = topology.tighten(shape, joined, claim);
      if (!set) return topology.permanent ? 'for good' : 'like this';
      return this.#completeAny(claim, shape, set, joined, joined, variants, relaxMinValues);
    }
    let refusal: Refusal = 'for now';
    for (const alternative of shape.volumeAlternatives) {
      if (alternative.hostname && !alternative.hostname.has(claim.hostname)) continue;
      const narrowed = sets.join(joined, alternative.set, true);
      const set = narrowed && topology.tighten(shape, narrowed, claim);
      const fit = set ? this.#completeAny(claim, shape, set, narrowed, joined, variants, relaxMinValues) : 'for now';
      if (typeof fit !== 'string') return fit;
      refusal = fit;
    }
    return refusal;
  }

  /** A look at the totals that spares most of the work on full claims. */
  #hasRoom(claim: OpenClaim, shape: PodShape): boolean {
    const { requestIds, requestAmounts } = shape;
    for (let i = 0; i < requestIds.length; i++) {
      const most = claim.headroom[requestIds[i] ?? -1];
      if (most !== undefined && (requestAmounts[i] ?? 0) > most) return false;
    }
    return true;
  }

  #tolerates(template: NodePoolTemplate, shape: PodShape): boolean {
    if (template.taints.length === 0) return true;
    let byShape = this.#tolerated.get(template);
    if (!byShape) {
      byShape = new Map();
      this.#tolerated.set(template, byShape);
    }
    let tolerated = byShape.get(shape);
    if (tolerated === undefined) {
      tolerated = toleratesAll(template.taints, shape.spec.tolerations);
      byShape.set(shape, tolerated);
    }
    return tolerated;
  }

  /** Variants that still hold everything with the pod added, before topology has a say; undefined when none does. */
  #survivors(claim: OpenClaim, shape: PodShape, set: RequirementSet): Bits | undefined {
    if (shape.ports.length > 0 || shape.volumes.size > 0) return this.#findSurvivors(claim, shape, set);
    const key = shape.requestsId * 2 ** 26 + set.id;
    const known = claim.survivors.get(key);
    if (known !== undefined || claim.survivors.has(key)) return known;
    const survivors = this.#findSurvivors(claim, shape, set);
    claim.survivors.set(key, survivors);
    return survivors;
  }

  #findSurvivors(claim: OpenClaim, shape: PodShape, set: RequirementSet): Bits | undefined {
    const { catalogue, daemonPorts } = claim.template;
    const variants = claim.variants.slice();
    let any = intersectInto(variants, catalogue.eligible(set));
    for (const [name, amount] of claim.total) {
      if (!any) return undefined;
      const bits = catalogue.atLeast(name, amount + (shape.requests[name] ?? 0));
      if (bits) any = intersectInto(variants, bits);
    }
    for (const name of shape.requestNames) {
      if (claim.total.has(name)) continue;
      const bits = catalogue.atLeast(name, shape.requests[name] ?? 0);
      if (bits) any = intersectInto(variants, bits);
    }
    if (any && shape.volumes.size > 0 && !this.#deps.attachLimits.isEmpty) {
      any = intersectInto(variants, this.#attachable(claim, shape));
    }
    if (any && shape.ports.length > 0) {
      if (portConflict(shape.ports, claim.ports)) return undefined;
      daemonPorts.forEach((ports, group) => {
        if (portConflict(shape.ports, ports))
          any = intersectInto(variants, complement(catalogue.variantsOfGroup(group)));
      });
    }
    return any ? variants : undefined;
  }

  /** Where topology could as well have chosen other domains, these are tried too. */
  #completeAny(
    claim: OpenClaim,
    shape: PodShape,
    set: RequirementSet,
    node: RequirementSet,
    joined: RequirementSet,
    variants: Bits,
    relaxMinValues: boolean,
  ): ClaimFit | Refusal {
    const fit = this.#complete(claim, set, joined, variants, relaxMinValues);
    if (typeof fit !== 'string' || set === node) return fit;
    for (const other of this.#deps.topology.others(shape, node, claim)) {
      const otherFit = this.#complete(claim, other, joined, variants, relaxMinValues);
      if (typeof otherFit !== 'string') return otherFit;
    }
    return fit;
  }

  /** Variants that can attach the claim's volumes and the pod's. */
  #attachable(claim: OpenClaim, shape: PodShape): Bits {
    const all = joinVolumes(claim.volumes, shape.volumes);
    const counts = new Map([...all].map(([driver, claims]) => [driver, claims.size]));
    return this.#deps.attachLimits.within(claim.template.catalogue, counts);
  }

  #complete(
    claim: OpenClaim,
    set: RequirementSet,
    joined: RequirementSet,
    before: Bits,
    relaxMinValues: boolean,
  ): ClaimFit | Refusal {
    const { catalogue } = claim.template;
    let variants = before;
    if (set !== joined) {
      variants = before.slice();
      if (!intersectInto(variants, catalogue.eligible(set))) return 'for now';
    }
    let result = set;
    let minValuesRelaxed = false;
    if (set.hasMinValues) {
      const { shortfall } = satisfiesMinValues(catalogue.types(variants), set.requirements, this.#deps.keepKnownFaults);
      if (shortfall.size > 0) {
        if (!relaxMinValues) return 'for now';
        result = this.#withMinValues(set, shortfall);
        minValuesRelaxed = true;
      }
    }
    if (this.#deps.keepSpot && losesSpot(claim, result, variants, this.#deps.sets)) return 'for now';
    const reserved = this.#reservable(claim, variants, result);
    return reserved === 'reserved' ? reserved : { set: result, variants, reserved, minValuesRelaxed };
  }

  #withMinValues(set: RequirementSet, achieved: ReadonlyMap<string, number>): RequirementSet {
    const lowered = new Requirements(set.requirements);
    for (const [key, count] of achieved) lowered.replace(set.requirements.get(key).withMinValues(count));
    return this.#deps.sets.intern(lowered);
  }

  /** The reserved offerings that the claim would hold (4.9.2-4.9.3). */
  #reservable(claim: OpenClaim, variants: Bits, set: RequirementSet): readonly Offering[] | 'reserved' {
    const { reservations, reservedCapacity, strictReservations, sets } = this.#deps;
    if (!reservedCapacity || !claim.template.hasReserved) return [];
    let compatible = false;
    const reservable: Offering[] = [];
    for (const type of claim.template.catalogue.types(variants)) {
      for (const offering of type.offerings) {
        if (!offering.available || !isReserved(offering)) continue;
        if (!set.requirements.compatible(offering.requirements, sets.wellKnown)) continue;
        compatible = true;
        if (reservations.canReserve(claim.hostname, offering)) reservable.push(offering);
      }
    }
    if (strictReservations && reservable.length === 0 && (compatible || claim.reserved.length > 0)) return 'reserved';
    return reservable;
  }
}

function complement(bits: Bits): Bits {
  return bits.map((word) => ~word >>> 0);
}
