import type { CapacityReservation, DescribeCapacityReservationsRequest } from '@aws-sdk/client-ec2';
import type { Clock } from '../../../kube/clock.ts';
import type { CapacityReservationSelectorTerm } from '../../apis/ec2-node-class.ts';
import type { Ec2Api } from '../../aws-api/apis.ts';
import { isAwsNotFound } from '../../aws-api/error-kinds.ts';
import { pages } from '../../aws-api/pages.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import { TtlCache } from '../../cache/ttl-cache.ts';
import type { CapacityReservationProvider } from '../contracts.ts';
import { Turns } from '../turns.ts';
import { reservationQueries } from './queries.ts';

const LIST_TTL_MS = 60_000;
/** Longer than EC2 is ever silent; what is deleted is forgotten after that. */
const COUNT_TTL_MS = 24 * 3_600_000;
const SWEEP_MS = 60_000;

interface Count {
  available: number;
}

/**
 * The capacity reservations that selector terms find, and how many instances each has left (aws-provider.md section 14). EC2
 * counts when it is asked; what is launched and ends in between is counted here.
 */
export class Ec2CapacityReservationProvider implements CapacityReservationProvider {
  readonly #ec2: Pick<Ec2Api, 'describeCapacityReservations'>;
  readonly #clock: Clock;
  readonly #lists: TtlCache<readonly CapacityReservation[]>;
  readonly #counts: TtlCache<Count>;
  readonly #turns = new Turns();

  constructor(deps: { readonly ec2: Pick<Ec2Api, 'describeCapacityReservations'>; readonly clock: Clock }) {
    this.#ec2 = deps.ec2;
    this.#clock = deps.clock;
    this.#lists = new TtlCache(deps.clock, { ttlMs: LIST_TTL_MS, sweepMs: SWEEP_MS });
    this.#counts = new TtlCache(deps.clock, { ttlMs: COUNT_TTL_MS, sweepMs: SWEEP_MS });
  }

  /** Active ones that have not ended, each once. */
  async list(
    terms: readonly CapacityReservationSelectorTerm[],
    signal?: AbortSignal,
  ): Promise<readonly CapacityReservation[]> {
    return await this.#turns.take(async () => {
      const found = new Map<string, CapacityReservation>();
      for (const [key, query] of reservationQueries(terms)) {
        for (const reservation of await this.#answers(key, query, signal)) {
          found.set(reservation.CapacityReservationId ?? '', reservation);
        }
      }
      const now = this.#clock.now();
      return [...found.values()].filter(({ EndDate }) => EndDate === undefined || EndDate.getTime() > now);
    });
  }

  /** None of a reservation that was never listed. */
  availableInstanceCount(reservationID: string): number {
    return this.#counts.get(reservationID)?.available ?? 0;
  }

  markLaunched(reservationID: string): void {
    const count = this.#counts.get(reservationID);
    if (count) count.available = Math.max(0, count.available - 1);
  }

  markTerminated(reservationID: string): void {
    const count = this.#counts.get(reservationID);
    if (count) count.available++;
  }

  markUnavailable(...reservationIDs: readonly string[]): void {
    for (const id of reservationIDs) {
      const count = this.#counts.get(id);
      if (count) count.available = 0;
    }
  }

  async #answers(
    key: string,
    query: DescribeCapacityReservationsRequest,
    signal: AbortSignal | undefined,
  ): Promise<readonly CapacityReservation[]> {
    const known = this.#lists.get(key);
    if (known) return known;
    const answers = await this.#describe(query, signal);
    for (const { CapacityReservationId: id = '', AvailableInstanceCount: available = 0 } of answers) {
      this.#counts.set(id, { available });
    }
    this.#lists.set(key, answers);
    return answers;
  }

  /** A reservation that does not exist, which EC2 only says of ids, is none. */
  async #describe(
    query: DescribeCapacityReservationsRequest,
    signal: AbortSignal | undefined,
  ): Promise<readonly CapacityReservation[]> {
    const call = (page: DescribeCapacityReservationsRequest) =>
      this.#ec2.describeCapacityReservations(page, signal ? { signal } : {});
    const result: CapacityReservation[] = [];
    try {
      for await (const { CapacityReservations = [] } of pages(call, query)) result.push(...CapacityReservations);
    } catch (error) {
      if (!isAwsNotFound(error)) throw wrappedError('listing capacity reservations', error);
    }
    return result;
  }
}
