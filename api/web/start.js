// Everything comes from this server: no validator badge, no fonts, no scripts from elsewhere.
window.addEventListener("load", function () {
  SwaggerUIBundle({
    url: "/openapi.json",
    dom_id: "#swagger-ui",
    presets: [SwaggerUIBundle.presets.apis],
    layout: "BaseLayout",
    deepLinking: true,
    validatorUrl: null,
    displayOperationId: true,
    tryItOutEnabled: true,
  });
});
