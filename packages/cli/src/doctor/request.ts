import type { Patient } from './check.ts'

const answerMs = 10_000

/** Asks the service for something that needs no credential. @throws when no answer comes */
export async function request({ settings, terminal }: Patient, path: string): Promise<Response> {
  return await fetch(`${settings.url}${path}`, {
    signal: AbortSignal.any([terminal.signal, AbortSignal.timeout(answerMs)]),
  })
}
