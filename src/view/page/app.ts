import "@oicl/openbridge-webcomponents/dist/navigation-instruments/compass/compass.js";
document.title = "Sagbend";
