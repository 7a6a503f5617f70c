import { awsError } from '../scripted-api.ts';

interface PageRequest {
  readonly NextToken?: string | undefined;
  readonly MaxResults?: number | undefined;
}

/** The page that the request asks for, and the token of the next. */
export function pageOf<T>(
  items: readonly T[],
  { NextToken, MaxResults = 1000 }: PageRequest,
  limit = Number.POSITIVE_INFINITY,
): { readonly items: T[]; readonly NextToken?: string } {
  const start = NextToken === undefined ? 0 : Number(NextToken);
  if (!Number.isInteger(start)) throw awsError('InvalidNextToken', `The token '${NextToken}' is invalid`);
  const end = start + Math.min(MaxResults, limit);
  return { items: items.slice(start, end), ...(end < items.length && { NextToken: String(end) }) };
}
