// The same beside an application: `@mastra/core` loaded first, as the application's own modules would.
import '@mastra/core';
import './raw-get.cjs';
