import { connectProviderAccount } from './endpoints/connect-provider-account.ts'
import { getConnectForm } from './endpoints/get-connect-form.ts'
import { getConnectInfo } from './endpoints/get-connect-info.ts'

export const connectInfoEndpoints = [getConnectInfo, getConnectForm, connectProviderAccount]
