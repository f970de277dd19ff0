import type { Tool } from '../tool.ts'
import { pauseReads, redriveDeadLetters, resumeReads, triggerRead } from './changes.ts'
import { getConnection, listConnections } from './connections.ts'
import { getDestination, listDestinations } from './destinations.ts'
import { readDocs } from './docs.ts'
import { runDoctor } from './doctor.ts'
import { getInstallation, listInstallations } from './installations.ts'
import { getIntegration, listIntegrations } from './integrations.ts'
import { deployManifest, planDeploy, validateForProject, validateManifest } from './manifests.ts'
import { getDeadLetter, getMessage, listDeadLetters, listMessageAttempts, listMessages } from './messages.ts'
import { getOperation, listOperationLogs, listOperations } from './operations.ts'
import { listProjects } from './projects.ts'
import { checkProviderFile, getProvider } from './providers.ts'

/** Every tool, in the order in which clients list them. */
export const tools: readonly Tool[] = [
  validateManifest,
  planDeploy,
  deployManifest,
  checkProviderFile,
  getProvider,
  listIntegrations,
  getIntegration,
  listInstallations,
  getInstallation,
  listConnections,
  getConnection,
  listOperations,
  getOperation,
  listOperationLogs,
  listMessages,
  getMessage,
  listMessageAttempts,
  listDestinations,
  getDestination,
  listDeadLetters,
  getDeadLetter,
  pauseReads,
  resumeReads,
  triggerRead,
  redriveDeadLetters,
  runDoctor,
  readDocs,
]

/** Tools that are different at the service. */
const replaced = new Map<Tool, Tool>([[validateManifest, validateForProject]])

/** The tools that the service serves: each names its project, and none works on a computer. */
export function toolsAtService(): Tool[] {
  const common = tools.filter((tool) => tool !== runDoctor)
  return [listProjects, ...common.map((tool) => replaced.get(tool) ?? tool)].map((tool) => tool.atService())
}
