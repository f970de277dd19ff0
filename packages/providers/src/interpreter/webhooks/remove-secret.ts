import type { Verification } from '../../catalogue/format/webhook-verification.ts'
import { isObject, own, pathNames } from '../path.ts'

/**
 * Removes the secret that a verified body contains, where the provider sends it there: nobody who reads the event may
 * sign others. Changes the payload.
 *
 * @returns whether the body may contain a secret
 */
export function removeSecret(verification: Verification, payload: unknown): boolean {
  if (verification.by !== 'token' || verification.body === undefined) return false
  const names = pathNames(verification.body) ?? []
  const items = verification.list === undefined ? [payload] : valueAt(payload, pathNames(verification.list) ?? [])
  for (const item of Array.isArray(items) ? (items as unknown[]) : []) {
    const parent = valueAt(item, names.slice(0, -1))
    if (isObject(parent)) delete parent[names.at(-1) ?? '']
  }
  return true
}

function valueAt(value: unknown, names: readonly string[]): unknown {
  return names.reduce(own, value)
}
