import { problem } from '../../../kernel/http/index.ts'

export const ToolNotFound = problem({
  code: 'tool-not-found',
  status: 404,
  title: 'Tool not found',
  detail: 'The project has no tool of this name.',
  remedy: 'List the tools of the group. The names change if you deploy another integration with the same objects.',
  retryable: false,
  subsystem: 'tools',
})

export const ApprovalNotFound = problem({
  code: 'approval-not-found',
  status: 404,
  title: 'Approval not found',
  detail: 'There is no request for approval of this id.',
  remedy: 'List the requests. Mortise deletes them with their installation, and after the retention time.',
  retryable: false,
  subsystem: 'tools',
})

export const ApprovalDecided = problem({
  code: 'approval-decided',
  status: 409,
  title: 'The request is not waiting',
  detail: 'Somebody approved or refused the request already, or it has expired.',
  remedy: 'Get the request to see its status. The agent can ask again.',
  retryable: false,
  subsystem: 'tools',
})
