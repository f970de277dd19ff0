/** A request of a provider, as it arrived. */
export interface InboundRequest {
  method: string
  /** The whole URL, as the provider knows it. */
  url: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
}

/** `stale`: signed right, but too long ago (or ahead): somebody may be playing it back. */
export type Verdict = 'genuine' | 'forged' | 'stale'
