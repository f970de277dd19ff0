import { randomBytes } from 'node:crypto'

/** The DNS record that proves a claim. */
export interface DomainProof {
  recordType: 'TXT'
  recordName: string
  recordValue: string
}

/** 256 random bits in hex: unlike base64, a change of case does not change it. */
export function newChallenge(): string {
  return randomBytes(32).toString('hex')
}

export function domainProof({ domain, challenge }: { domain: string; challenge: string }): DomainProof {
  return {
    recordType: 'TXT',
    recordName: `_mortise-challenge.${domain}`,
    recordValue: `mortise-domain-verification=${challenge}`,
  }
}

/** Whether one of the values is the proof. Some DNS consoles keep the quotes and blanks of what was pasted. */
export function isProven({ recordValue }: DomainProof, values: readonly string[]): boolean {
  return values.some((value) => value.replace(/^[\s"]+|(?<![\s"])[\s"]+$/g, '').toLowerCase() === recordValue)
}
