import type { Messages } from './en.ts'

/** Each language is a file of its own, loaded when it is used. English is a part of the script. */
export const languages: Readonly<Record<string, () => Promise<Messages>>> = {
  de: async () => (await import('./de.ts')).de,
  es: async () => (await import('./es.ts')).es,
  fr: async () => (await import('./fr.ts')).fr,
  ja: async () => (await import('./ja.ts')).ja,
  pt: async () => (await import('./pt.ts')).pt,
}
