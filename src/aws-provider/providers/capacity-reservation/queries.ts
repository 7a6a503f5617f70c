import type { DescribeCapacityReservationsRequest, Filter } from '@aws-sdk/client-ec2';
import type { CapacityReservationSelectorTerm } from '../../apis/ec2-node-class.ts';
import { tagFilters } from '../../aws-api/tags.ts';

/** As many as a page can have. */
const RESERVATIONS_A_PAGE = 1000;
const ACTIVE: Filter = { Name: 'state', Values: ['active'] };

/** What EC2 is asked for the terms: once per id, and once per term that names tags or criteria; each question once. */
export function reservationQueries(
  terms: readonly CapacityReservationSelectorTerm[],
): ReadonlyMap<string, DescribeCapacityReservationsRequest> {
  const queries = terms.flatMap((term) => [...byID(term), ...byTraits(term)]);
  return new Map(queries.map((query) => [JSON.stringify(query), query]));
}

/** One id can't be asked for in pages. */
function byID({ id }: CapacityReservationSelectorTerm): readonly DescribeCapacityReservationsRequest[] {
  return id ? [{ Filters: [ACTIVE], CapacityReservationIds: [id] }] : [];
}

function byTraits(term: CapacityReservationSelectorTerm): readonly DescribeCapacityReservationsRequest[] {
  const { tags = {}, ownerID, instanceMatchCriteria } = term;
  if (Object.keys(tags).length === 0 && !instanceMatchCriteria) return [];
  const Filters = [
    ACTIVE,
    ...(ownerID ? [{ Name: 'owner-id', Values: [ownerID] }] : []),
    ...tagFilters(tags),
    ...(instanceMatchCriteria ? [{ Name: 'instance-match-criteria', Values: [instanceMatchCriteria] }] : []),
  ];
  return [{ Filters, MaxResults: RESERVATIONS_A_PAGE }];
}
