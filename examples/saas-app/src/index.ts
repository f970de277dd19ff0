export { type SaasApp, type SaasAppOptions, startSaasApp } from './start-saas-app.ts'
