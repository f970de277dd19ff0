import { problem } from '../../../kernel/http/index.ts'

export const OperationNotFound = problem({
  code: 'operation-not-found',
  status: 404,
  title: 'Operation not found',
  detail: 'This project has no operation with this id.',
  remedy:
    'List the operations of the installation to find its id. Mortise deletes finished operations after the retention time.',
  retryable: false,
  subsystem: 'operations',
})

export const OperationInstallationNotFound = problem({
  code: 'operation-installation-not-found',
  status: 404,
  title: 'Installation not found',
  detail: 'The integration in this project has no installation with this id.',
  remedy: 'List the installations of the integration to find its id.',
  retryable: false,
  subsystem: 'operations',
})
