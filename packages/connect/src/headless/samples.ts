import type { Preview } from './wire.ts'

/** Returns a value of each field from the first record that has one, as short text. */
export function samplesOf({ records }: Preview): Record<string, string> {
  const samples: Record<string, string> = {}
  for (const { raw, fields } of records)
    for (const [name, value] of Object.entries({ ...(isObject(raw) && raw), ...fields })) {
      if (value === null || value === undefined || value === '' || isObject(value)) continue
      samples[name] ??= textOf(value)
    }
  return samples
}

const charactersMax = 40

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > charactersMax ? `${text.slice(0, charactersMax - 1)}…` : text
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
