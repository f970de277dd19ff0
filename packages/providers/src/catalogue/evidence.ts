import type { ProviderFileOutline } from './format/provider-file.ts'

/** What a provider file is based on. */
export interface Evidence {
  kind: 'account' | 'documentation' | 'twoSources' | 'oneSource' | 'none'
  /** Day of the test or the comparison. */
  date?: string
  /** The same for people, without a period. */
  summary: string
}

type Records = Pick<ProviderFileOutline, 'confidence' | 'connected' | 'documented'>

/** Returns the best evidence that a file names: a test with an account, a comparison with documentation, or sources. */
export function evidenceOf({ confidence, connected, documented }: Records): Evidence {
  if (connected) return { kind: 'account', date: connected.date, summary: testedOn(connected.date) }
  if (documented && isCompared(documented))
    return { kind: 'documentation', date: documented.date, summary: comparedOn(documented.date) }
  if (confidence === 'agreed') return { kind: 'twoSources', summary: 'Two sources say how to connect' }
  if (confidence === 'single') return { kind: 'oneSource', summary: 'One source says how to connect' }
  return { kind: 'none', summary: 'No test or comparison is recorded' }
}

export function testedOn(date: string): string {
  return `Tested with an account on ${date}`
}

export function comparedOn(date: string): string {
  return `Compared with documentation on ${date}`
}

/** Whether a comparison shows that the file follows documentation, and not only other sources. */
export function isCompared({ parts }: NonNullable<Records['documented']>): boolean {
  return parts.includes('authentication') || parts.includes('objects')
}
