import type { IntegrationContent, ValidateResult } from '@mortise/manifest'
import type { Catalogue } from '@mortise/providers'
import type { Config } from './config.ts'
import type { Database, NewId, ProjectDb } from './kernel/db/index.ts'
import type { ProblemDeclaration } from './kernel/http/index.ts'
import type { JobQueue } from './kernel/jobs/index.ts'
import type { AddressGuard, Outbound } from './kernel/net/index.ts'
import type { Keyring } from './kernel/seal/index.ts'
import type { Logger, Metrics } from './kernel/telemetry/index.ts'

/** Everything that operations and jobs may ask for; each names the part that it uses. Composed in `app.ts`. */
export interface Services {
  config: Config
  log: Logger
  metrics: Metrics
  now: () => Date
  newId: NewId
  /** Origin that the world reaches us at, without a trailing slash. */
  publicUrl: string
  database: Database
  queue: JobQueue
  outbound: Outbound
  guard: AddressGuard
  keyring: Keyring
  catalogue: Catalogue
  validateManifest: ManifestValidator
  hooks: Hooks
  /** Every declared problem by code, for the problems' pages. */
  problems: ReadonlyMap<string, ProblemDeclaration>
}

export type ConnectionStatus = 'created' | 'working' | 'bad_credentials'

/** An integration that a deploy made or changed. */
export interface IntegrationChange {
  integrationId: string
  /** Undefined when it is new. */
  before: IntegrationContent | undefined
  after: IntegrationContent
}

/**
 * What a feature tells the features that build on it, without knowing them. Each runs inside the caller's transaction, so that a
 * change and what follows from it commit together.
 */
export interface Hooks {
  /** All that one deploy changed, at once: what follows costs the same for one integration and for two hundred. */
  integrationsDeployed(tx: ProjectDb, changes: IntegrationChange[], options: { destructive: boolean }): Promise<void>
  connectionCreated(tx: ProjectDb, change: { connectionId: string; isNew: boolean }): Promise<void>
  connectionStatusChanged(
    tx: ProjectDb,
    change: { connectionId: string; from: ConnectionStatus; to: ConnectionStatus },
  ): Promise<void>
  installationChanged(tx: ProjectDb, change: { installationId: string; kind: 'created' | 'updated' }): Promise<void>
  destinationChanged(
    tx: ProjectDb,
    change: { destinationId: string; name: string; kind: 'created' | 'updated' | 'deleted' | 'disabled' | 'enabled' },
  ): Promise<void>
}

/** How a manifest is validated. */
export interface ManifestOptions {
  /** Names of the destinations of the project. */
  destinations: Iterable<string>
  /** Rules of level `strict` become errors. */
  strict: boolean
  /** Least interval of read schedules. */
  readIntervalLeastMs: number
}

/** Validates manifests in a thread of their own, one at a time. */
export interface ManifestValidator {
  /** @throws ManifestTooCostly, DeployQueueFull */
  (source: string, options: ManifestOptions): Promise<ValidateResult>
  /** Ends the thread; what is under way fails. */
  close(): Promise<void>
}
