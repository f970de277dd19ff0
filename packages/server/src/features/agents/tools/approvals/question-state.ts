import { hash, randomBytes } from 'node:crypto'

/**
 * What a client carries between a question and its answer: the id of the stored call and 256 random bits. It says
 * nothing about the call, and nobody can make one.
 */
export interface QuestionState {
  approvalId: string
  secret: string
}

const pattern = /^([0-9a-f-]{36})\.([\w-]{43})$/

export function newAnswerSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Hashes a secret for storage. It is random, so a plain hash is enough. */
export function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

export function stateOf(approvalId: string, secret: string): string {
  return `${approvalId}.${secret}`
}

/** Returns the parts of a state; undefined if it cannot be one. */
export function readState(text: string): QuestionState | undefined {
  const [, approvalId, secret] = pattern.exec(text) ?? []
  return approvalId === undefined || secret === undefined ? undefined : { approvalId, secret }
}
