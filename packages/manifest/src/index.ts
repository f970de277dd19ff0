export {
  type AgentConfirmation,
  type AgentTool,
  type AgentToolResult,
  agentConfirmations,
  isReadOnlyTool,
  orNull,
  type ToolSchema,
  type ToolType,
  toolTypeOf,
} from './agent-tool.ts'
export { formatBracketPath, parseBracketPath } from './bracket-path.ts'
export { canonicalContent } from './canonical.ts'
export type { CapabilitySupport, Catalogue, CatalogueEntry, ModuleEntry } from './catalogue.ts'
export { type ContentDiff, diffContent, type ObjectsDiff, type PartDiff } from './diff.ts'
export type { Finding } from './finding.ts'
export { type ContentChange, listChanges } from './list-changes.ts'
export type {
  AgentAction,
  AgentFilter,
  AgentIntegration,
  AgentLimits,
  AgentObject,
  AgentProviderTool,
  AgentToolArgument,
  AgentWriteAction,
  AssociationChangeEvent,
  Backfill,
  BackfillPeriod,
  Deletions,
  Delivery,
  ExistentField,
  IntegrationContent,
  IntegrationField,
  Manifest,
  MappingField,
  ProxyIntegration,
  ReadIntegration,
  ReadObject,
  SubscribeEvent,
  SubscribeIntegration,
  SubscribeObject,
  UpdateEvent,
  ValueDefaults,
  WatchedChange,
  WatchedChanges,
  WatchSchema,
  WriteIntegration,
  WriteObject,
} from './manifest.ts'
export { agentActions } from './manifest.ts'
export { nearest } from './nearest.ts'
export { RULES, type RuleId, type RuleLevel } from './rule-table.ts'
export type { MissingParams, MissingScopes } from './rules/missing-scopes.ts'
export { nextTick, repeatInterval, type ScheduleCheck, validateSchedule } from './schedule.ts'
export type { JsonSchema } from './schema/json-schema.ts'
export { manifestSchema } from './schema/manifest-schema.ts'
export { YAML_BYTES_MAX } from './source/read-yaml.ts'
export { actionToolName, builtInTools, providerToolName, toolWord } from './tool-name.ts'
export { type ValidateOptions, type ValidateResult, validateManifest } from './validate.ts'
