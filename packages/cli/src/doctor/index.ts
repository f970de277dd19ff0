import { MortiseProblem } from '@mortise/client'
import { type Check, type Finding, failed, type Patient, runCheck } from './check.ts'
import { clock } from './clock.ts'
import { connections } from './connections.ts'
import { credential } from './credential.ts'
import { dataFolder } from './data-folder.ts'
import { deadLetters } from './dead-letters.ts'
import { destinations } from './destinations.ts'
import { encryptionKeys } from './encryption-keys.ts'
import { installations } from './installations.ts'
import { nodeVersion } from './node-version.ts'
import { project } from './project.ts'
import { providerFiles } from './provider-files.ts'
import { queuedMessages } from './queued-messages.ts'
import { readiness } from './readiness.ts'
import { scopes } from './scopes.ts'
import { service } from './service.ts'

export type { Finding, Patient } from './check.ts'

/** In the order in which they are shown: what others stand on comes first. */
const checks: Check[] = [
  nodeVersion,
  dataFolder,
  encryptionKeys,
  service,
  readiness,
  clock,
  credential,
  project,
  providerFiles,
  destinations,
  deadLetters,
  connections,
  installations,
  scopes,
  queuedMessages,
]

/** Runs every check that can be run; yields what each found as soon as it is known. */
export async function* examine(patient: Patient): AsyncGenerator<Finding & { check: string }> {
  const holds = { service: false, project: false }
  for (const check of checks) {
    if (check.needs && !holds[check.needs]) continue
    const findings = await runCheck(check, patient).catch((error: Error): Finding[] => {
      patient.terminal.signal.throwIfAborted()
      // The check of the credential reports once that it lacks permissions.
      if (error instanceof MortiseProblem && error.status === 403) return []
      return [failed(`The check failed: ${error.message}`, 'Check the log of the service, and try again.')]
    })
    const fine = findings.length > 0 && findings.every(({ status }) => status === 'ok')
    if (check.name === 'service') holds.service = fine
    if (check.name === 'project') holds.project = fine && patient.mortise !== undefined
    for (const finding of findings) yield { check: check.name, ...finding }
  }
}
