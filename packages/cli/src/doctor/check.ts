import type { Client } from '@mortise/client'
import { pluralize } from '../pluralize.ts'
import type { ServiceSettings } from '../service/settings.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** `warning`: it works, and somebody should look. `failed`: it does not work. */
export type Status = 'ok' | 'warning' | 'failed'

/** What a check found, in a sentence, and what to do about it. */
export interface Finding {
  status: Status
  detail: string
  remedy?: string
}

/** What checks look at. */
export interface Patient {
  terminal: Terminal
  settings: ServiceSettings
  /** Without a credential there is nobody to ask as. */
  mortise: Client | undefined
  /** The data folder that a service on this computer would have. */
  dataDir: string
}

/** One thing that can be wrong. */
export type Check = GeneralCheck | ProjectCheck

interface GeneralCheck {
  name: string
  /** Left out unless the service answers. */
  needs?: 'service'
  /** What was found; nothing where there is nothing to say. */
  run(patient: Patient): Promise<Finding[]>
}

interface ProjectCheck {
  name: string
  /** Left out unless the service accepts the credential for the project. */
  needs: 'project'
  /** What was found; nothing where there is nothing to say. */
  run(patient: Patient & { mortise: Client }): Promise<Finding[]>
}

/** Runs a check; finds nothing where the check needs a credential and there is none. */
export async function runCheck(check: Check, patient: Patient): Promise<Finding[]> {
  if (check.needs !== 'project') return await check.run(patient)
  const { mortise } = patient
  return mortise === undefined ? [] : await check.run({ ...patient, mortise })
}

export const ok = (detail: string): Finding => ({ status: 'ok', detail })
export const warning = (detail: string, remedy: string): Finding => ({ status: 'warning', detail, remedy })
export const failed = (detail: string, remedy: string): Finding => ({ status: 'failed', detail, remedy })

/** At most so many of a kind are named. */
const named = 5

/** `3 connections (a, b, c)`. */
export function some(what: string, names: string[]): string {
  const shown = names.slice(0, named).join(', ')
  return `${pluralize(names.length, what)} (${shown}${names.length > named ? ', …' : ''})`
}
