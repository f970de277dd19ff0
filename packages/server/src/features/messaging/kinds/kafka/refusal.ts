import type { SendResult } from '../kind.ts'

/** A broker refused a request with a code ("Error Codes"). `message` is what it said, if anything. */
export class KafkaRefusal extends Error {
  override name = 'KafkaRefusal'
  readonly code: number
  /** host and port */
  readonly shown: string
  constructor(code: number, shown: string, message = '') {
    super(message)
    this.code = code
    this.shown = shown
  }
}

/** Codes that pass: the leader changes, or too few replicas are in sync. */
const passing = new Set([5, 6, 7, 8, 9, 13, 14, 15, 19, 20, 51, 56, 72, 74, 75, 76])
/** Codes of a batch that is too large, or of a record in it that the topic refuses. */
const ofData = new Set([2, 10, 18, 44, 87])
/** The broker has these records already. */
const duplicate = 46

export const isPassing = (code: number): boolean => passing.has(code)
export const isOfData = (code: number): boolean => ofData.has(code)
/** Whether the batch is stored. */
export const isStored = (code: number): boolean => code === 0 || code === duplicate

const reasons: Record<number, string> = {
  3: 'has no such topic',
  10: 'does not accept messages of this size',
  18: 'does not accept messages of this size',
  19: 'has too few replicas in sync',
  20: 'has too few replicas in sync',
  29: 'does not permit this user to write to the topic',
  31: 'does not permit this user to write',
  33: 'does not offer this way to log in',
  35: 'does not speak this version of the protocol',
  44: 'refuses the message by a policy',
  58: 'refused the user name or password',
  87: 'does not accept this message',
}

/** What a code means for a message. A topic that never takes it refuses it for good. */
export function resultOf({ code, shown, message }: Pick<KafkaRefusal, 'code' | 'shown' | 'message'>): SendResult {
  const reason = reasons[code]
  return {
    outcome: code === 10 || code === 18 || code === 87 ? 'refused' : 'retry',
    error: reason === undefined ? `${shown} answered with the error ${code}.` : `${shown} ${reason} (error ${code}).`,
    response: Buffer.from(message),
  }
}
