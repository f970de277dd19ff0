import { type Connector, OnlyInBackground } from '@mortise/providers'
import type { Issue } from '../../../kernel/http/index.ts'
import { classifyFailure, type FailureKind } from '../../provider-calls/calls/index.ts'
import { type EffectiveReadObject, requestedFields } from './effective.ts'
import { SampleReadFailed } from './problems.ts'

const atOnce = 4
const mostMs = 10_000

/** Whether an object is read on a schedule: what is tried when it is installed. */
export function isScheduled(object: EffectiveReadObject): boolean {
  return !object.disabled && object.schedule !== undefined
}

/**
 * The objects to try before a change is saved (contract 6.3): the scheduled ones that are new, newly scheduled, or read
 * other fields than before; with another connection, all of them.
 */
export function objectsToSample(
  after: Map<string, EffectiveReadObject>,
  before: Map<string, EffectiveReadObject> | undefined,
): EffectiveReadObject[] {
  return [...after.values()].filter((object) => {
    const old = before?.get(object.objectName)
    return isScheduled(object) && (!old || !isScheduled(old) || fieldSet(old) !== fieldSet(object))
  })
}

function fieldSet(object: EffectiveReadObject): string {
  const fields = requestedFields(object)
  return fields === 'all' ? 'all' : JSON.stringify([...fields].sort())
}

/**
 * Reads one record of each object, at most four side by side and 10 s each.
 *
 * @throws SampleReadFailed when the provider refuses the request itself, such as for a field that it does not know.
 *   Also when it forbids the request and `explainForbidden` knows why. What says nothing about the config (credentials,
 *   rate limits, an absent provider, the network) is ignored. So are objects that only a job of the provider returns.
 */
export async function sampleRead(
  connector: Connector,
  objects: EffectiveReadObject[],
  signal: AbortSignal,
  explainForbidden: (objectName: string) => Promise<string | undefined> = async () => undefined,
): Promise<void> {
  const issues: Issue[] = []
  const waiting = [...objects]
  const worker = async () => {
    for (let object = waiting.shift(); object !== undefined; object = waiting.shift()) {
      const refusal = await trial(
        connector,
        object,
        AbortSignal.any([signal, AbortSignal.timeout(mostMs)]),
        explainForbidden,
      )
      if (refusal !== undefined)
        issues.push({ in: 'body', name: `config.content.read.objects.${object.objectName}`, detail: refusal })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  signal.throwIfAborted()
  if (issues.length > 0) throw new SampleReadFailed({ issues, detail: issues.map(({ detail }) => detail).join(' ') })
}

/** Failures that another config would not meet. */
const ofTheConfig = new Set<FailureKind>(['bad_request', 'unsupported_object', 'invalid_inputs'])

async function trial(
  connector: Connector,
  object: EffectiveReadObject,
  signal: AbortSignal,
  explainForbidden: (objectName: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    await connector.readPage({ object: object.objectName, fields: requestedFields(object), pageSize: 1, signal })
    return undefined
  } catch (error) {
    // Its first read in the background tries it.
    if (error instanceof OnlyInBackground) return undefined
    const { kind, scope, sentence } = classifyFailure(error, { signal })
    if (scope === 'service') throw error
    if (kind === 'forbidden') return await explainForbidden(object.objectName)
    return ofTheConfig.has(kind) ? sentence : undefined
  }
}
