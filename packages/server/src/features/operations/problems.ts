import { problem } from '../../kernel/http/index.ts'

export const OperationNotFound = problem({
  code: 'operation-not-found',
  status: 404,
  title: 'No such operation',
  detail: 'This project has no operation with that id.',
  remedy: 'List the operations of the installation to see their ids; ended ones are kept for the retention time.',
  retryable: false,
  subsystem: 'operations',
})

export const OperationInstallationNotFound = problem({
  code: 'operation-installation-not-found',
  status: 404,
  title: 'No such installation',
  detail: 'This project has no installation with that id under that integration.',
  remedy: 'List the installations of the integration to see their ids.',
  retryable: false,
  subsystem: 'operations',
})
