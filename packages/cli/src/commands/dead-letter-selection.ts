import type { Input } from '@mortise/client'
import { UsageError } from '../usage-error.ts'

const idsMax = 1_000

/** Returns which dead letters a command line names. @throws UsageError */
export function deadLetterSelection(
  deadLetterIds: string[],
  destination: string | undefined,
): Input<'redriveDeadLetters'>['body'] {
  if (deadLetterIds.length > 0 === (destination !== undefined))
    throw new UsageError('Name the dead letters: their ids, or --destination for all of one.')
  if (deadLetterIds.length > idsMax) throw new UsageError('One command takes at most 1,000 ids.')
  return destination === undefined ? { deadLetterIds } : { destination }
}
