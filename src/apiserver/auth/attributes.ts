/** One question to an authorizer: may somebody do this. */
export type Attributes =
  | { readonly type: 'path'; readonly verb: string; readonly path: string }
  | {
      readonly type: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly plural: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    };
