import { sendManagementMessage } from './endpoints/send-management-message.ts'

export const managementEndpoints = [sendManagementMessage]
