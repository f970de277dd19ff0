import { Type } from 'typebox'
import type { DestinationKind } from './kind.ts'
import { SettingsReader } from './settings-reader.ts'
import type { BatchSettings } from './warehouse.ts'

const waitSecsMax = 3_600
/** Size of the messages that are enough: about that of one claim of messages that do not wait. */
const bytesMax = 2 ** 20

/**
 * Adds the settings `batchSize` and `maxWaitSecs` to a kind that sends what is due immediately. With `maxWaitSecs`,
 * delivery collects messages before it claims them. Without it, it runs no further statement, and nothing waits.
 */
export function inBatches<S extends object>(kind: DestinationKind<S>): DestinationKind<S & BatchSettings> {
  const { maxBatch, concurrency } = kind.limits
  return {
    ...kind,
    properties: {
      ...kind.properties,
      maxWaitSecs: Type.Integer({
        description: `How long messages are collected at most, in seconds: 1 to ${waitSecsMax}. Mortise sends earlier if there are batchSize messages, or 1 MiB of them. By default, messages are sent immediately.`,
      }),
      batchSize: Type.Integer({
        description: `With maxWaitSecs: maximum number of messages of one batch, 1 to ${maxBatch}. By default, ${maxBatch}.`,
      }),
    },
    readSettings(input, at, services) {
      const { settings, issues } = kind.readSettings(input, at, services)
      const read = new SettingsReader(input, at)
      const maxWaitSecs = read.optionalInteger('maxWaitSecs', { min: 1, max: waitSecsMax })
      const batchSize = read.optionalInteger('batchSize', { min: 1, max: maxBatch })
      if (batchSize !== undefined && !read.isGiven('maxWaitSecs'))
        read.refuse('batchSize', 'is for collected messages.', 'Set maxWaitSecs, or remove batchSize.')
      return {
        settings: {
          ...settings,
          ...(maxWaitSecs !== undefined && { maxWaitSecs }),
          ...(batchSize !== undefined && { batchSize }),
        },
        issues: [...issues, ...read.issues],
      }
    },
    collecting: ({ batchSize = maxBatch, maxWaitSecs }) =>
      maxWaitSecs === undefined
        ? undefined
        : { count: batchSize, bytes: bytesMax, waitMs: maxWaitSecs * 1_000, concurrency },
  }
}
