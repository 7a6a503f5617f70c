import type { Answer } from './answer.ts';

/** What Go's own server says of a path that nothing is registered for. */
export const pageNotFound: Answer = {
  status: 404,
  body: '404 page not found\n',
  headers: { 'X-Content-Type-Options': 'nosniff' },
};
