import { getManagementStream } from './endpoints/get-management-stream.ts'
import { sendManagementMessage } from './endpoints/send-management-message.ts'

export const managementEndpoints = [sendManagementMessage, getManagementStream]
