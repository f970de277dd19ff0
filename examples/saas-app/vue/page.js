import { createApp } from 'vue'
import IntegrationsPage from './IntegrationsPage.vue'

createApp(IntegrationsPage).mount('#root')
