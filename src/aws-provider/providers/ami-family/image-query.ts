import type { DescribeImagesRequest, Filter } from '@aws-sdk/client-ec2';
import type { ImageRequirements } from './variants.ts';

/** Looks for images. */
export interface ImageQuery {
  readonly filters: readonly Filter[];
  /** Anybody's when empty. */
  readonly owners: readonly string[];
  /** What EC2 doesn't tell of images: by image, what they are for. */
  readonly variants: ReadonlyMap<string, readonly ImageRequirements[]>;
}

const PAGE_SIZE = 1000;

/** The query as EC2 takes it: deprecated images too, so that a node's image is still known. */
export function describeImagesInput({ filters, owners }: ImageQuery): DescribeImagesRequest {
  return {
    Filters: [...filters, { Name: 'state', Values: ['available'] }],
    ...(owners.length > 0 ? { Owners: [...owners] } : {}),
    IncludeDeprecated: true,
    MaxResults: PAGE_SIZE,
  };
}
