/** What an EC2NodeClass has found in its account, for reports. */
export interface Ec2ClassFacts {
  /** Whether AWS was asked for what only it can tell: else that is null; where it was asked, null is something that is gone. */
  readonly askedAws: boolean;
  readonly hash: string | null;
  readonly hashVersion: string | null;
  readonly role: string | null;
  readonly instanceProfile: string | null;
  readonly amiFamily: string;
  /** What is selected, as terms in words. */
  readonly selects: {
    readonly amis: readonly string[];
    readonly subnets: readonly string[];
    readonly securityGroups: readonly string[];
    readonly capacityReservations: readonly string[];
  };
  readonly subnets: readonly {
    readonly id: string;
    readonly zone: string;
    readonly zoneID: string | null;
    readonly freeAddresses: number | null;
  }[];
  readonly securityGroups: readonly { readonly id: string; readonly name: string | null }[];
  readonly amis: readonly {
    readonly id: string;
    readonly name: string | null;
    readonly deprecated: boolean;
    /** What a type must be like to be launched from it, printed. */
    readonly requirements: readonly string[];
    /** Types that are launched from it; null where types are not known. */
    readonly types: number | null;
  }[];
  readonly capacityReservations: readonly {
    readonly id: string;
    readonly instanceType: string;
    readonly zone: string;
    readonly type: string;
    readonly interruptible: boolean;
    readonly state: string;
    readonly endTime: string | null;
    readonly left: number | null;
  }[];
  readonly placementGroup: {
    readonly selector: string;
    readonly id: string | null;
    readonly strategy: string | null;
    readonly partitions: number | null;
  } | null;
  /** Settings that change what nodes leave to pods, or what they are started with: path and value. */
  readonly settings: Readonly<Record<string, string>>;
}
