import { problem } from '../../kernel/http/index.ts'

export const IntegrationNotFound = problem({
  code: 'integration-not-found',
  status: 404,
  title: 'No such integration',
  detail: 'The project has no integration of this id or name.',
  remedy: 'List the integrations of the project, or deploy the manifest that defines it.',
  retryable: false,
  subsystem: 'integrations',
})

export const RevisionNotFound = problem({
  code: 'revision-not-found',
  status: 404,
  title: 'No such revision',
  detail: 'The integration has no revision of this id.',
  remedy: 'List the revisions of the integration; `latestRevision.id` of the integration is the newest.',
  retryable: false,
  subsystem: 'integrations',
})

export const ManifestTooCostly = problem({
  code: 'manifest-too-costly',
  status: 422,
  title: 'The manifest takes too long to read',
  detail: 'Reading the manifest takes more time or memory than a manifest may.',
  remedy: 'Deploy it in parts; anchors and aliases are what costs most.',
  retryable: false,
  subsystem: 'integrations',
})

export const DeployQueueFull = problem({
  code: 'deploy-queue-full',
  status: 503,
  title: 'Too many deploys at once',
  detail: 'Too many manifests wait to be read.',
  remedy: 'Try again in a few seconds.',
  retryable: true,
  subsystem: 'integrations',
})
