export const REGION = 'us-west-2';
export const CLUSTER = 'story';
/** Of the pool, its class and its pods' label. */
export const POOL = 'default';
