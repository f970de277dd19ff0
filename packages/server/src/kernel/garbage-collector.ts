import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** V8's `gc`: the young generation only, or everything; `last-resort` also gives memory back to the system. */
export type CollectGarbage = (options: { type: 'minor' } | { type: 'major'; flavor: 'last-resort' }) => void

/**
 * Returns V8's `gc`. V8 exposes it only to contexts that are created while the flag is set, so other code does not see
 * it.
 */
export function garbageCollector(): CollectGarbage {
  setFlagsFromString('--expose-gc')
  try {
    const collect: unknown = runInNewContext('globalThis.gc')
    return typeof collect === 'function' ? (options) => collect(options) : () => undefined
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}
