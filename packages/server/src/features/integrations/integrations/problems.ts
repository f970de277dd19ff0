import { problem } from '../../../kernel/http/index.ts'

export const IntegrationNotFound = problem({
  code: 'integration-not-found',
  status: 404,
  title: 'Integration not found',
  detail: 'This project has no integration with this id or name.',
  remedy: 'List the integrations of the project, or deploy the manifest that defines it.',
  retryable: false,
  subsystem: 'integrations',
})

export const RevisionNotFound = problem({
  code: 'revision-not-found',
  status: 404,
  title: 'Revision not found',
  detail: 'The integration has no revision with this id.',
  remedy: 'List the revisions of the integration. `latestRevision.id` of the integration is the newest.',
  retryable: false,
  subsystem: 'integrations',
})

export const ManifestTooCostly = problem({
  code: 'manifest-too-costly',
  status: 422,
  title: 'The manifest takes too long to parse',
  detail: 'Parsing the manifest takes more time or memory than is allowed.',
  remedy: 'Deploy it in parts. Anchors and aliases cost the most.',
  retryable: false,
  subsystem: 'integrations',
})

export const DeployQueueFull = problem({
  code: 'deploy-queue-full',
  status: 503,
  title: 'Too many deploys',
  detail: 'Too many manifests wait to be parsed.',
  remedy: 'Try again in a few seconds.',
  retryable: true,
  subsystem: 'integrations',
})
