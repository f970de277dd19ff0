import type { AddCommand } from '../command.ts'
import { addApi } from './api.ts'
import { addApproval } from './approval.ts'
import { addAudit } from './audit.ts'
import { addBackup } from './backup.ts'
import { addCompletion } from './completion.ts'
import { addConnect } from './connect.ts'
import { addCreate } from './create.ts'
import { addDeadLetter } from './dead-letter.ts'
import { addDelete } from './delete.ts'
import { addDeploy } from './deploy.ts'
import { addDestination } from './destination.ts'
import { addDev } from './dev.ts'
import { addDiff } from './diff.ts'
import { addDoctor } from './doctor.ts'
import { addFind } from './find.ts'
import { addGet } from './get.ts'
import { addInit } from './init.ts'
import { addInstall } from './install.ts'
import { addKeys } from './keys.ts'
import { addList } from './list.ts'
import { addListen } from './listen.ts'
import { addLogin } from './login.ts'
import { addLogout } from './logout.ts'
import { addLogs } from './logs.ts'
import { addMcp } from './mcp.ts'
import { addOpen } from './open.ts'
import { addOverview } from './overview.ts'
import { addPause } from './pause.ts'
import { addProvider } from './provider.ts'
import { addRead } from './read.ts'
import { addReconfigure } from './reconfigure.ts'
import { addReplay } from './replay.ts'
import { addResend } from './resend.ts'
import { addRestore } from './restore.ts'
import { addResume } from './resume.ts'
import { addSearch } from './search.ts'
import { addTimeline } from './timeline.ts'
import { addTool } from './tool.ts'
import { addUninstall } from './uninstall.ts'
import { addUpdate } from './update.ts'
import { addValidate } from './validate.ts'
import { addVerify } from './verify.ts'
import { addWebhook } from './webhook.ts'
import { addWhoami } from './whoami.ts'
import { addWrite } from './write.ts'

/** Every command, by task, in the order of the help. */
export const commands: readonly { group: string; add: AddCommand[] }[] = [
  { group: 'Start', add: [addInit, addDev, addLogin, addLogout, addWhoami, addOpen, addDoctor] },
  { group: 'Integrations', add: [addValidate, addDiff, addDeploy] },
  { group: 'Customers', add: [addConnect, addInstall, addReconfigure, addWebhook, addPause, addResume, addUninstall] },
  { group: 'Records', add: [addRead, addWrite, addSearch] },
  { group: 'Agents', add: [addTool, addApproval] },
  { group: 'Messages', add: [addListen, addReplay, addDeadLetter, addResend, addDestination] },
  {
    group: 'Everything that a project has',
    add: [
      addOverview,
      addFind,
      addList,
      addGet,
      addCreate,
      addUpdate,
      addVerify,
      addDelete,
      addLogs,
      addTimeline,
      addAudit,
      addApi,
    ],
  },
  { group: 'Provider files', add: [addProvider] },
  { group: 'Coding agents', add: [addMcp] },
  { group: 'The service itself', add: [addBackup, addRestore, addKeys] },
  { group: 'Help', add: [addCompletion] },
]
